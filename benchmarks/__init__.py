"""Ratios measured in one run; machines are shared and noisy, so seconds alone say little."""
