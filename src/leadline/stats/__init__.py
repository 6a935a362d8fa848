"""Statistics of our own, in numpy: tests, effect sizes, intervals, power. Pure; held to scipy."""
