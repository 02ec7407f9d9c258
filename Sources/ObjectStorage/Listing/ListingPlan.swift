/// The ranges of a listing in their order, and the points at which they can be cut.
///
/// A bucket tells of its folders where it is asked with a delimiter. Where there are none, or too many, the characters of the
/// keys have to tell.
struct ListingPlan {
    /// The next step for requests that nothing else needs.
    enum Step {
        /// Ask for the folders in `folder`, behind the position of the range.
        case explore(folder: String, ListingRange)
        /// List new ranges, which are in the plan already.
        case list([ListingRange])
    }

    /// A range needs so many pages more to be worth a cut.
    private static let leastPages = 3.0
    /// The most folders that are kept.
    private static let mostFolders = 100_000
    /// The most folders whose keys are learned from: each holds a page or more.
    private static let mostSpaces = 10_000

    private let prefix: String
    private var space: KeySpace
    /// The characters of the names in each folder that holds a page or more.
    private var spaces: [String: KeySpace] = [:]
    /// The ranges, with the places of their objects in the file.
    private(set) var ranges: [(range: ListingRange, pages: [Range<Int>])]
    /// The beginnings of folders, in order, which are the best points.
    private var folders: [String] = []
    private var explored: Set<String> = []
    private var exploring: Set<ObjectIdentifier> = []

    /// Begins with one range of all keys that begin with `prefix`.
    init(prefix: String) {
        self.prefix = prefix
        space = KeySpace(prefix: prefix)
        ranges = [(ListingRange(after: "", through: nil), [])]
    }

    /// Notes that objects of a range are in the file, and learns from their first and last keys.
    mutating func add(_ page: Range<Int>, to range: ListingRange, first: String?, last: String?) {
        if !page.isEmpty, let index = index(of: range) { ranges[index].pages.append(page) }
        guard let first, let last else { return }
        learn(first, last, into: &space)
        let folder = range.place.folder
        guard !folder.isEmpty, spaces[folder] != nil || spaces.count < Self.mostSpaces else { return }
        learn(first, last, into: &spaces[folder, default: KeySpace(prefix: folder)])
    }

    /// Notes the folders that were found behind the position of a range.
    mutating func add(_ found: [String], of range: ListingRange) {
        exploring.remove(ObjectIdentifier(range))
        guard folders.count < Self.mostFolders else { return }
        for folder in found { space.learn(folder) }
        folders = Set(folders + found).sorted { $0.isBefore($1) }
    }

    private func learn(_ first: String, _ last: String, into space: inout KeySpace) {
        space.learn(first)
        space.learn(last)
    }

    /// Returns the best use of up to `count` requests; nil if every range is needed whole, or has not begun.
    mutating func nextStep(_ count: Int) -> Step? {
        for (range, pages) in candidates() where pages >= Self.leastPages {
            let place = range.place
            let most = pages.isFinite ? min(count, Int(pages / 2)) : count
            let inside = folders(in: place)
            if !inside.isEmpty {
                let parts = min(most, inside.count) + 1
                let points = (1..<parts).map { inside[inside.startIndex + $0 * inside.count / parts] }
                if let ranges = cut(range, at: points) { return .list(ranges) }
            }
            if let folder = unexploredFolder(of: place) {
                explored.insert(folder)
                exploring.insert(ObjectIdentifier(range))
                return .explore(folder: folder, range)
            }
            if let ranges = cut(range, at: points(in: place, count: most)) { return .list(ranges) }
        }
        return nil
    }

    /// Points at which the characters of the keys tell to cut.
    private func points(in place: ListingRange.Place, count: Int) -> [String] {
        if let (space, through) = space(of: place) {
            return space.points(between: place.position, and: through, count: count)
        }
        return (spaces[place.folder] ?? space).points(behind: place.position, count: count)
    }

    /// The number of pages that may be left in a range, whose last one began behind `last`.
    private func pages(behind place: ListingRange.Place, since last: String) -> Double {
        guard let (space, through) = space(of: place) else { return .infinity }
        return space.steps(from: max(last, place.folder), to: place.position, until: through)
    }

    /// The characters by which the rest of a range can be divided, and its end; nil if the end is no name beside the others.
    ///
    /// The end of a folder is the beginning of another one, which says nothing of the names in the first.
    private func space(of place: ListingRange.Place) -> (KeySpace, through: String)? {
        guard let through = place.through else { return nil }
        let folder = place.folder
        guard !folder.isEmpty else { return (space, through) }
        guard through.utf8.starts(with: folder.utf8), let space = spaces[folder] else { return nil }
        return (space, through)
    }

    /// The ranges that have more than one page, the longest first, with the number of pages that may be left.
    private func candidates() -> [(range: ListingRange, pages: Double)] {
        var found: [(range: ListingRange, pages: Double)] = []
        for (range, _) in ranges where !exploring.contains(ObjectIdentifier(range)) {
            let place = range.place
            guard place.isMoved, !place.isEnded, let last = place.last else { continue }
            found.append((range, pages(behind: place, since: last)))
        }
        return found.sorted { $0.pages > $1.pages }
    }

    private mutating func cut(_ range: ListingRange, at points: [String]) -> [ListingRange]? {
        let new = range.cut(at: points)
        guard !new.isEmpty, let index = index(of: range) else { return nil }
        ranges.insert(contentsOf: new.map { ($0, []) }, at: index + 1)
        return new
    }

    private func index(of range: ListingRange) -> Int? {
        ranges.firstIndex { $0.range === range }
    }

    /// The known folders ahead of a place in its range.
    private func folders(in place: ListingRange.Place) -> ArraySlice<String> {
        let start = folders.firstIndexInOrder { !place.position.isBefore($0) }
        let end = place.through.map { through in folders.firstIndexInOrder { $0.isBefore(through) } }
        return folders[start..<max(start, end ?? folders.endIndex)]
    }

    /// The highest folder at a place that was not asked for its folders; nil if all were, or if it holds less than a page.
    private func unexploredFolder(of place: ListingRange.Place) -> String? {
        let key = place.position.utf8
        guard let first = place.first?.utf8, key.starts(with: prefix.utf8) else { return nil }
        var end = key.index(key.startIndex, offsetBy: prefix.utf8.count)
        while first.starts(with: key[..<end]) {
            let folder = String(decoding: key[..<end], as: UTF8.self)
            if !explored.contains(folder) { return folder }
            guard let slash = key[end...].firstIndex(of: UInt8(ascii: "/")) else { break }
            end = key.index(after: slash)
        }
        return nil
    }
}

extension ListingRange.Place {
    /// The folder that all keys of the last page are in; empty if they are in several, or in none.
    fileprivate var folder: String {
        guard let first, let slash = position.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        let folder = position.utf8[...slash]
        return first.utf8.starts(with: folder) ? String(decoding: folder, as: UTF8.self) : ""
    }
}
