import CFuzzer
import Foundation
import Imaging

/// The targets of coverage-guided fuzzing, by name.
enum Target {
    /// Tries bytes; false if they are of no interest and should not be kept.
    typealias Body = @Sendable (Data) -> Bool

    /// A decoder each, by the format's name; metadata, chains of operations, encoders; and the control, which must crash.
    static let all: [String: Body] = {
        var targets: [String: Body] = [
            "metadata": MetadataTrial.run, "chain": ChainTrial.run, "encoders": EncoderTrial.run,
            "planted": planted,
        ]
        for format in ImageFormat.allCases { targets[format.rawValue] = { decode($0, as: format) } }
        return targets
    }()

    private static func decode(_ file: Data, as format: ImageFormat) -> Bool {
        guard ImageFormat(file) == format else { return false }
        _ = Trial.outcome { _ = try Trial.decodes(of: file) }
        return true
    }

    /// Crashes where C and then Swift see their word: both have to be instrumented for that to be found.
    private static func planted(_ bytes: Data) -> Bool {
        guard
            bytes.withUnsafeBytes({ fuzzer_planted($0.bindMemory(to: UInt8.self).baseAddress, $0.count) })
                != 0
        else { return true }
        let rest = bytes.dropFirst(4)
        if rest.count >= 4, rest[4] == 0x62, rest[5] == 0x61, rest[6] == 0x74, rest[7] == 0x63 {
            fatalError("the planted bug was found")
        }
        return true
    }
}
