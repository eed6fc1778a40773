"""Grade submissions in processes of their own, on this machine or on a cluster."""
