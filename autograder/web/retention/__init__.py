"""Export and erase the data of one person, and archive and erase a whole term."""
