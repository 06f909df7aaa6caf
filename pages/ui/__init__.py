"""What the pages share: frame, address, controls, palette, maps, figures, work done once."""
