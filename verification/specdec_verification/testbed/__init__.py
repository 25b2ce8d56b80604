"""A small serving loop, in which the faults of real ones can live.

In the order to read them in: `requests` (what a user asks for), `stages` (from a model's row to
the row that is sampled), `grammar`, `stops` (where an answer ends), `recurrent` (a model with a
state), `cases` (models, vocabularies and a batch), `plain` (decoding without speculation), then
`outcomes`, `streams`, `lanes` and `steps` (what the loop is made of), and `loop`.  `claims` holds
what must be true of every round, `laws` finds the exact law of the loop, and `checking` compares it
with that of plain decoding.  `strategies` makes random cases.
"""
