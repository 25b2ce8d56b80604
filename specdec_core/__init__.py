"""What a verification rule is, and the reference implementation: programs over draws."""
