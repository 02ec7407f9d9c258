/// Values that a later release may take and this one refuses.
enum NotSupportedYet {
    /// The frames of an animation that are taken.
    static let maxFrames = 1

    /// Returns the sentence of every refusal.
    static func sentence(_ subject: String) -> String {
        "\(subject) is not supported yet by this release: remove it, or change it"
    }
}
