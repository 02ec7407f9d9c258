package import JobManifest
package import ObjectStorage

/// Selects the keys of one bucket by the patterns of a source.
///
/// A listing has millions of keys, in order: what a folder's name decides is kept for all keys in it, and the ends of names
/// are compared as bytes where a pattern says no more.
package struct ObjectMatcher {
    private var patterns: [KeyMatcher]
    private var excluded: [GlobMatcher]
    private let own: String?

    /// Creates a matcher; keys that begin with `own` are the job's own.
    package init(_ selection: ObjectSelection, bucket: String, own: String? = nil) {
        patterns = selection.patterns.filter { $0.isOf(bucket) }.map {
            KeyMatcher($0.glob, folder: $0.folder)
        }
        excluded = selection.excluded.filter { $0.isOf(bucket) }.map { GlobMatcher($0.glob) }
        self.own = own
    }

    /// Returns true if a key is one that the job has written itself.
    package func isOwn(_ key: String) -> Bool {
        own.map { key.utf8.starts(with: $0.utf8) } ?? false
    }

    /// Returns true if the patterns select an object; a key that ends in a slash and holds nothing stands for a folder.
    package mutating func selects(_ object: ObjectPage.Entry) -> Bool {
        (object.facts.size > 0 || object.key.utf8.last != UInt8(ascii: "/")) && selects(object.key)
    }

    /// Returns true if the patterns select a key.
    package mutating func selects(_ key: String) -> Bool {
        guard patterns.indices.contains(where: { patterns[$0].matches(key) }) else { return false }
        return excluded.isEmpty || !excluded.contains { $0.covers("/" + key) }
    }
}

/// Matches the keys of a listing against one pattern.
private struct KeyMatcher {
    /// The end of a name, in which the last part of an alternative consists of `*` and nothing else.
    private struct Ending {
        let bytes: [UInt8]
        let ignoresCase: Bool

        init?(_ part: GlobPart?, ignoresCase: Bool) {
            guard case .name(let tokens) = part, tokens.first == .many else { return nil }
            var bytes: [UInt8] = []
            for token in tokens.dropFirst() {
                guard case .scalar(let scalar) = token, scalar.isASCII else { return nil }
                bytes.append(UInt8(ascii: scalar))
            }
            self.bytes = ignoresCase ? bytes.map(Self.lowered) : bytes
            self.ignoresCase = ignoresCase
        }

        /// Returns true if a name ends so; nil for a name whose end is not ASCII, which can be so in another case.
        func ends(_ name: Substring.UTF8View) -> Bool? {
            var rest = name[...]
            for byte in bytes.reversed() {
                guard let last = rest.popLast() else { return false }
                guard last < 0x80 else { return nil }
                if (ignoresCase ? Self.lowered(last) : last) != byte { return false }
            }
            return true
        }

        private static func lowered(_ byte: UInt8) -> UInt8 {
            byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
        }
    }

    private let glob: Glob
    private let folder: String
    private let matcher: GlobMatcher
    /// The simple end of each alternative; nil for others.
    private let endings: [Ending?]
    /// The names of the folders of the last key below the pattern's own, and what they decide.
    private var known: (folders: String, states: Set<GlobMatcher.State>)?

    init(_ glob: Glob, folder: String) {
        self.glob = glob
        self.folder = folder
        matcher = GlobMatcher(glob)
        endings = glob.choices.map { Ending($0.last, ignoresCase: glob.ignoresCase) }
    }

    mutating func matches(_ key: String) -> Bool {
        guard key.utf8.starts(with: folder.utf8) else { return false }
        let rest = Substring(key).utf8.dropFirst(folder.utf8.count)
        let slash = rest.lastIndex(of: UInt8(ascii: "/"))
        let name = rest[(slash.map(rest.index(after:)) ?? rest.startIndex)...]
        guard !name.isEmpty else { return false }
        let states = states(rest[..<(slash ?? rest.startIndex)])
        for state in states where state.part == glob.choices[state.choice].count - 1 {
            guard let part = glob.choices[state.choice].last else { continue }
            if let isEnd = endings[state.choice]?.ends(name) {
                if isEnd, name.first != UInt8(ascii: ".") { return true }
            } else if part.fits(Array(Substring(name).unicodeScalars), ignoringCase: glob.ignoresCase) {
                return true
            }
        }
        return false
    }

    private mutating func states(_ folders: Substring.UTF8View) -> Set<GlobMatcher.State> {
        if let known, known.folders.utf8.elementsEqual(folders) { return known.states }
        var states = matcher.start
        for name in Substring(folders).unicodeScalars.split(separator: "/") where !states.isEmpty {
            states = matcher.following(states, Array(name))
        }
        known = (String(Substring(folders)), states)
        return states
    }
}
