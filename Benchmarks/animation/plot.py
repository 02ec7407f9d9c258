"""A chart of memory by the number of frames, as SVG: both axes are logarithmic, so that what grows with frames is a straight line."""
import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 260, 60, 40, 16, 130


def svg(frames, lines, title):
    """The chart of `lines`, each a name with a colour and its megabytes for each number of frames."""
    low, high = 1, 10 ** math.ceil(math.log10(max(max(values) for _, _, values in lines)))

    def x(count):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(count / frames[0]) / math.log(frames[-1] / frames[0])

    def y(megabytes):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * math.log(max(megabytes, low) / low) / math.log(high / low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" '
             f'fill="#555"><title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for megabytes in (10 ** power for power in range(int(math.log10(high)) + 1)):
        parts.append(f'<path d="M{LEFT} {y(megabytes):.1f} H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y(megabytes) + 4:.1f}" text-anchor="end">{megabytes:,} MB</text>')
    for count in frames:
        parts.append(f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{count:,}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">frames</text>')
    for name, color, values in lines:
        points = " ".join(f"{x(count):.1f},{y(value):.1f}" for count, value in zip(frames, values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'
                     f'<text x="{WIDTH - RIGHT + 8}" y="{y(values[-1]) + 4:.1f}" fill="{color}">{name}</text>')
    return "".join(parts) + "</svg>\n"
