"""What a ledger and its readers must live through: kills, power cuts, races, malformed files."""
