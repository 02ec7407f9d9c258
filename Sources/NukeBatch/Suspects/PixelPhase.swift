/// Where the work on an image's pixels stands; the raw values are those of the black box.
package enum PixelPhase: Int64, Sendable {
    /// The original's header, and what is read without decoding it.
    case header = 1
    case decode = 2
    /// Facts, and the processors of an output.
    case process = 3
    case encode = 4
}

extension PixelPhase: CustomStringConvertible {
    /// A word for people.
    package var description: String {
        switch self {
        case .header: "header"
        case .decode: "decode"
        case .process: "process"
        case .encode: "encode"
        }
    }
}
