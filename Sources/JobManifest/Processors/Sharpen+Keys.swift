import Imaging

extension Sharpen: ManifestObject {
    static let standard = Sharpen()
    static let section = ManifestSection(processor: "sharpen", #"{"sigma": 0.8, "amount": 1.5}"#, keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName("sigma", "The standard deviation of the mask's blur, in pixels.")
            .synonyms(["radius"])
            .sets(\.sigma, as: .number(0...100), example: 0.8),
        KeyName("amount", "The strength.")
            .synonyms(["strength", "gain"])
            .sets(\.amount, as: .number(0...10), example: 1.5),
        KeyName("threshold", "The largest difference, in 8-bit steps, that leaves a pixel unchanged.")
            .sets(\.threshold, as: .number(0...255), example: 3),
    ]
}
