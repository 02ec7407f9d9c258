import Files

/// The files that globs match, without those that others exclude.
public struct FileSelection: Sendable, Equatable {
    /// The globs, at least one.
    public let globs: [Glob]
    /// The globs of files and folders that are left out.
    public let excluded: [Glob]

    /// The folder that all files are in: the root of the glob, or the last folder that the roots have in common.
    package var root: String { Self.root(of: globs) }

    static func root(of globs: [Glob]) -> String {
        guard var common = globs.first?.root.parts(at: "/").dropFirst() else { return "/" }
        for glob in globs.dropFirst() {
            let parts = glob.root.parts(at: "/").dropFirst()
            let same = zip(common, parts).prefix { $0.utf8.elementsEqual($1.utf8) }.count
            common = common.prefix(same)
        }
        return "/" + common.joined(separator: "/")
    }

    /// The `file:` URL of the root, with a slash at its end, from which `{dir}` starts.
    package var base: String { ItemURL.file(folder: root) }
}
