/// The known name that a misspelt one is most likely meant to be.
package enum NearestName {
    /// Returns `; did you mean "width"?`, or the empty string if no name is similar.
    ///
    /// `synonyms` are other words for known names. Their case is ignored, and they take precedence over similar
    /// spelling.
    package static func hint(
        for name: String,
        among known: some Sequence<String>,
        synonyms: [String: String] = [:]
    ) -> String {
        let known = Set(known)
        let lowered = name.lowercased()
        let synonym = synonyms.first { $0.key.lowercased() == lowered && known.contains($0.value) }?.value
        return (synonym ?? nearest(to: name, among: known)).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The known name with the fewest edits, at most a third of the name's length and one for short ones.
    package static func nearest(to name: String, among known: some Sequence<String>) -> String? {
        let letters = Array(name.lowercased().unicodeScalars.prefix(64))
        let most = max(1, letters.count / 3)
        var best: (name: String, edits: Int)?
        for candidate in known.sorted() {
            let edits = distance(letters, Array(candidate.lowercased().unicodeScalars.prefix(64)))
            if edits <= most, edits < best?.edits ?? .max { best = (candidate, edits) }
        }
        return best?.name
    }

    /// Insertions, removals, replacements and swaps of neighbours (optimal string alignment).
    private static func distance(_ from: [UnicodeScalar], _ to: [UnicodeScalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var current = [row + 1]
            for column in to.indices {
                let replaced = last[column] + (from[row] == to[column] ? 0 : 1)
                var edits = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                current.append(edits)
            }
            beforeLast = last
            last = current
        }
        return last[to.count]
    }
}
