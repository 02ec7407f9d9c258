/// The memory that an operation needs beside its input, in bytes per pixel at 8 bits per sample; twice as much at 16
/// bits.
///
/// These are upper bounds, known before the work begins, so that concurrent work can be bounded.
public struct WorkingMemory: Sendable, Hashable {
    /// Bytes per pixel of the input.
    public var perInputPixel: Int
    /// Bytes per pixel of the result, including the result itself.
    public var perOutputPixel: Int

    /// Creates an amount; the default is a result of four channels.
    public init(perInputPixel: Int = 0, perOutputPixel: Int = 4) {
        self.perInputPixel = perInputPixel
        self.perOutputPixel = perOutputPixel
    }

    /// Bytes for an input and a result of the given sizes.
    func cost(_ input: PixelSize, _ output: PixelSize, bitDepth: Int) -> Int {
        Plane.byteCount(input).multipliedClamping(by: perInputPixel)
            .addingClamping(Plane.byteCount(output).multipliedClamping(by: perOutputPixel))
            .multipliedClamping(by: bitDepth / 8)
    }
}
