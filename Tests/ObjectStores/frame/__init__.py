"""The parts that `start` gives to every server: packages, ports, processes and a signed request."""
