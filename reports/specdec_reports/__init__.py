"""What people look at: tables made of results, and of nothing else."""
