"""`python -m leadline`: the same as the `leadline` program."""

from leadline.cli import main

main()
