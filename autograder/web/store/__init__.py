"""Keep what `autograder serve` needs: accounts, hand-ins, inquiries, mail and workers."""
