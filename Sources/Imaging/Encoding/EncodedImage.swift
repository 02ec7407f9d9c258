public import Foundation

/// A file of an image, and how it was made.
public struct EncodedImage: Sendable, Hashable {
    /// The complete file.
    public let data: Data
    /// The quality in the format's own numbers, of JPEG XL on libjxl's scale of quality; nil if nothing is lost.
    ///
    /// The search for a floor also makes files halfway between two qualities, which have the higher one here.
    public let quality: Int?
    /// The likeness of the file to the image; nil if the format has no floor.
    public let score: Score?
    /// The number of files that were encoded to find this one.
    public internal(set) var encodes = 1

    /// The likeness of a file to its image, and to what was asked.
    public struct Score: Sendable, Hashable, Codable {
        /// The score of SSIMULACRA2, at most 100.
        public let ssimulacra2: Double
        /// The reason why the score is below the floor; nil if it is not.
        public let shortfall: Shortfall?
    }

    /// The obstacle that kept a file from its floor.
    public enum Shortfall: String, Sendable, Hashable, Codable {
        /// The format's highest quality is below it.
        case quality
        /// `maxBytes` is obeyed first.
        case maxBytes
    }
}
