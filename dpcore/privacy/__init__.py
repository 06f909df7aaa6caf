"""Budgets, the charges on them, and the noise that protects an answer."""
