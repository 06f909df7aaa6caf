"""Studies of many runs: metrics, sweeps, curves, rankings, and run times."""
