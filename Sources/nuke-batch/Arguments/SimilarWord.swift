/// The known word that a misspelt one most likely stands for.
enum SimilarWord {
    /// Returns `; did you mean run?`, or a reference to the help if no known word is similar.
    static func hint(for word: String, among known: [String]) -> String {
        let best = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(2, word.count / 3) else { return "; see nuke-batch --help" }
        return "; did you mean \(best.0)?"
    }

    /// Returns the number of insertions, removals and replacements between two words (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (number, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for column in right.indices {
                let above = row[column + 1]
                row[column + 1] = min(
                    above + 1,
                    row[column] + 1,
                    diagonal + (character == right[column] ? 0 : 1)
                )
                diagonal = above
            }
        }
        return row[right.count]
    }
}
