"""`python -m dpcore`: the same as the `dpcore` command."""

from dpcore.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
