/// A model of what an animation shows, by its specification and in plain numbers, to compare the reader with.
struct CanvasModel {
    let width: Int
    let height: Int
    /// Red, green, blue and alpha of each pixel.
    private(set) var pixels: [[UInt8]]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        pixels = Array(repeating: [0, 0, 0, 0], count: width * height)
    }

    /// Returns what a frame shows, and does with the canvas what its disposal says: keeps, clears or restores it.
    mutating func show(
        _ frame: [[UInt8]],
        at place: (x: Int, y: Int),
        width frameWidth: Int,
        blends: Bool,
        disposal: Int
    ) -> [[UInt8]] {
        let before = pixels
        var covered: [Int] = []
        for (index, pixel) in frame.enumerated() {
            let (x, y) = (place.x + index % frameWidth, place.y + index / frameWidth)
            guard x < width, y < height else { continue }
            covered.append(y * width + x)
            pixels[y * width + x] = blends ? Self.blend(pixel, over: pixels[y * width + x]) : pixel
        }
        let shown = pixels
        if disposal == 1 { for index in covered { pixels[index] = [0, 0, 0, 0] } }
        if disposal == 2 { pixels = before }
        return shown
    }

    private static func blend(_ above: [UInt8], over below: [UInt8]) -> [UInt8] {
        let (a, b) = (Double(above[3]) / 255, Double(below[3]) / 255)
        let alpha = a + b * (1 - a)
        guard alpha > 0 else { return below }
        let colors = (0..<3).map { channel in
            (Double(above[channel]) * a + Double(below[channel]) * b * (1 - a)) / alpha
        }
        return colors.map { UInt8($0.rounded()) } + [UInt8((255 * alpha).rounded())]
    }
}
