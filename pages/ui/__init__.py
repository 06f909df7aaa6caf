"""The parts that pages share: frame, address, controls, palette, maps, figures, work done once."""
