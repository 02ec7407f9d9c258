import Imaging

extension Trim: ManifestObject {
    static let standard = Trim()
    static let section = ManifestSection(processor: "trim", #"{"tolerance": 20}"#, keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName("tolerance", "The largest difference of a channel from the top left pixel, in 8-bit steps.")
            .synonyms(["threshold", "fuzz"])
            .sets(\.tolerance, as: .integer(0...255), example: 20)
    ]
}
