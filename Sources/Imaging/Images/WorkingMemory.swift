/// The memory that an operation needs beside its input: bytes per pixel at 8 bits per sample, twice as much at 16 bits, and
/// bytes that do not depend on them.
///
/// These are upper bounds, known before the work begins, so that concurrent work can be bounded.
public struct WorkingMemory: Sendable, Hashable {
    /// Bytes per pixel of the input.
    public var perInputPixel: Int
    /// Bytes per pixel of the result, including the result itself.
    public var perOutputPixel: Int
    /// Bytes whatever the sizes and the depth are.
    public var fixed: Int

    /// Creates an amount; the default is a result of four channels.
    public init(perInputPixel: Int = 0, perOutputPixel: Int = 4, fixed: Int = 0) {
        self.perInputPixel = perInputPixel
        self.perOutputPixel = perOutputPixel
        self.fixed = fixed
    }

    /// Bytes for an input and a result of the given sizes.
    func cost(_ input: PixelSize, _ output: PixelSize, bitDepth: Int) -> Int {
        Plane.byteCount(input).multipliedClamping(by: perInputPixel)
            .addingClamping(Plane.byteCount(output).multipliedClamping(by: perOutputPixel))
            .multipliedClamping(by: bitDepth / 8)
            .addingClamping(fixed)
    }
}
