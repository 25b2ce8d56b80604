"""Every enumeration: of laws, of instance parameters, of draws, and of a program's paths."""
