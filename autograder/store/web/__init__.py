"""What `autograder serve` keeps: accounts, hand-ins, inquiries, mail and workers."""
