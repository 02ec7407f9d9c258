/// The program's version and those of the libraries in it.
public enum Version {
    /// The version of nuke-batch and the libraries of this package (semantic versioning).
    public static let current = "0.2.0"
}
