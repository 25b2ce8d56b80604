"""Claims about what a program emits, the checks that test them, and faults to test those."""
