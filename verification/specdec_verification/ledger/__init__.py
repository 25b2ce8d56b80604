"""A ledger of outcomes: what was drawn of a subject, kept from run to run.

A *stream* is what may be added up: outcomes of one subject at one version on one instance under one
seed policy.  Its outcomes come in *batches*, each reported under a key and never changed: reported
again, a batch is counted once.  A run that was killed goes on with the batches that are missing,
and two ledgers merge into one by their batches.  Counts are kept, and never what a test made of
them: a test of all counts so far pays for its mixture once, however many runs there were.

Not here: which test the counts go to (see `specdec_verification.statistics.sampled`).
"""
