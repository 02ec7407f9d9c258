import Files
import JobManifest

/// Matches names, folder by folder, against a glob with alternatives.
struct GlobMatcher {
    /// A position in one of the pattern's alternatives.
    struct State: Hashable {
        let choice: Int
        let part: Int
    }

    private let glob: Glob

    init(_ glob: Glob) {
        self.glob = glob
    }

    /// The states at the root.
    var start: Set<State> { closure(glob.choices.indices.map { State(choice: $0, part: 0) }) }

    /// Returns the states after matching a name.
    func following(_ states: Set<State>, _ name: [UnicodeScalar]) -> Set<State> {
        var next: [State] = []
        for state in states {
            let parts = glob.choices[state.choice]
            guard state.part < parts.count,
                parts[state.part].fits(name, ignoringCase: glob.ignoresCase)
            else { continue }
            let isFolders = parts[state.part] == .folders
            next.append(isFolders ? state : State(choice: state.choice, part: state.part + 1))
        }
        return closure(next)
    }

    /// Returns true if one of the states is the end of the pattern.
    func isEnd(_ states: Set<State>) -> Bool {
        states.contains { $0.part == glob.choices[$0.choice].count }
    }

    /// Returns the states that are not the end of the pattern, against which the contents of a folder are matched.
    func inside(_ states: Set<State>) -> Set<State> {
        states.filter { $0.part < glob.choices[$0.choice].count }
    }

    /// Returns true if the pattern matches the absolute `path`, or a folder that it is in.
    func covers(_ path: String) -> Bool {
        let root = glob.root == "/" ? "/" : glob.root + "/"
        // By bytes: a slash and a combining mark at the beginning of a name are one Character.
        guard let rest = path.rest(behind: root) else { return false }
        var states = start
        for name in rest.unicodeScalars.split(separator: "/") {
            states = following(states, Array(name))
            if isEnd(states) { return true }
            if states.isEmpty { return false }
        }
        return false
    }

    /// Returns the states, with those that are reached if `**` matches no folder.
    private func closure(_ states: [State]) -> Set<State> {
        var all = Set(states)
        var open = states
        while let state = open.popLast() {
            let parts = glob.choices[state.choice]
            guard state.part < parts.count, parts[state.part] == .folders else { continue }
            let next = State(choice: state.choice, part: state.part + 1)
            if all.insert(next).inserted { open.append(next) }
        }
        return all
    }
}
