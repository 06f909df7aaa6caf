"""Budgets, charges, and noise: what may be spent, what was spent, and what protects an answer."""
