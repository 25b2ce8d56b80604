"""What samples can tell: checks of drawn outcomes, each with both error rates.

Read `sampled` first: what is asked of a check, and how a verdict is reached.  `e_process` is the
check that may be looked at as often as one likes, `fit` adds G at the planned draws, `chi_square`
holds Pearson's statistic and G by themselves.  `power` and `planning` say how many draws a
discrepancy takes; `error_budget` shares a run's rate out over its checks.  `prefix_e_process`,
`split_events` and `directed_cells` are for outcomes that are too many to list; `pairs` and
`regularity` look at how draws hang together; `two_sample` needs no law, and `tolerance` allows
for a stated one.
"""
