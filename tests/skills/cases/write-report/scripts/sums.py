import sys

print(sum(float(line) for line in sys.stdin))
