"""Areas of a map with a privacy level of their own."""
