/// The ranges of a listing in their order, and the points at which they can be cut.
///
/// A bucket lists its folders if asked with a delimiter. If there are none, or too many, the characters of the keys decide.
struct ListingPlan {
    /// The next step for requests that nothing else needs.
    enum Step {
        /// Ask for the folders in `folder` behind a key, for a range.
        case explore(folder: String, after: String, ListingRange)
        /// Begin to list a range.
        case list(ListingRange)
    }

    /// The ends of a page of a range.
    struct Ends {
        /// The first key; nil without keys.
        let first: String?
        /// The last key; nil without keys.
        let last: String?
        /// True if the range ends with the page.
        let isEnd: Bool
    }

    /// A range, with the places of its objects in the file.
    private struct Part {
        let range: ListingRange
        var pages: [Range<Int>] = []
        var isBegun = false
        var isEnded = false
        var isExploring = false
    }

    /// The pages of a range that is cut from a long one, at first and at most: the fewer, the sooner its objects can be given, and
    /// the more requests there are, since each range takes up to a request more than its keys need.
    private static let (fewestPages, mostPages) = (8.0, 16.0)
    /// The most ranges that are cut from a long one at a time.
    private static let mostParts = 64
    /// A range needs so many pages more to be worth a cut.
    private static let leastPages = 4.0
    /// The most ranges without a key at first.
    private static let mostEmpty = 4
    /// Below so many pages a bucket is small: then each page that has not ended its range lets one more request be spent on a guess,
    /// beside the first ones, so that even answers in the worst order cost less than two requests a page.
    private static let (smallPages, firstGuesses) = (32, 2)
    /// The most folders that are kept.
    private static let mostFolders = 100_000
    /// The most folders whose keys are learned from: each holds a page or more.
    private static let mostSpaces = 10_000

    private let prefix: String
    private var space: KeySpace
    /// The characters of the names in each folder that holds a page or more.
    private var spaces: [String: KeySpace] = [:]
    /// The ranges whose objects were not taken, in order.
    private var parts: [Part]
    /// The beginnings of folders, in order, which are the best points.
    private var folders: [String] = []
    private var explored: Set<String> = []
    /// The numbers of pages so far, and of ranges without a key.
    private var (pageCount, emptyCount) = (0, 0)
    /// The numbers of pages behind which their range went on, and of ranges and questions for folders.
    private var (fullCount, guessCount) = (0, 1)

    /// The pages of a range that is cut from a long one now: their number grows with that of all pages.
    private var partPages: Double { min(max(Self.fewestPages, Double(pageCount) / 16), Self.mostPages) }

    /// The most guesses that can be made now.
    private var allowance: Int {
        fullCount < Self.smallPages ? max(0, fullCount + Self.firstGuesses - guessCount) : .max
    }

    /// Begins with one range of all keys that begin with `prefix`.
    init(prefix: String) {
        self.prefix = prefix
        space = KeySpace(prefix: prefix)
        parts = [Part(range: ListingRange(after: "", through: nil))]
    }

    /// Notes that a page of a range is in the file, and learns from its first and last keys.
    mutating func add(_ page: Range<Int>, to range: ListingRange, _ ends: Ends) {
        pageCount += 1
        if !ends.isEnd { fullCount += 1 }
        if let index = index(of: range) {
            if !page.isEmpty { parts[index].pages.append(page) }
            parts[index].isEnded = ends.isEnd
        }
        guard let first = ends.first, let last = ends.last else {
            if range.place.first == nil { emptyCount += 1 }
            return
        }
        for key in [first, last] { space.learn(key) }
        let folder = range.place.folder
        guard !folder.isEmpty, spaces[folder] != nil || spaces.count < Self.mostSpaces else { return }
        for key in [first, last] { spaces[folder, default: KeySpace(prefix: folder)].learn(key) }
    }

    /// Notes the folders that were found in a folder behind the position of a range; `isWhole` is false if there are more.
    mutating func add(_ found: [String], in folder: String, of range: ListingRange, isWhole: Bool) {
        if let index = index(of: range) { parts[index].isExploring = false }
        // Where the known ones end, it is asked again.
        if !isWhole, !found.isEmpty { explored.remove(folder) }
        guard folders.count < Self.mostFolders else { return }
        for folder in found { space.learn(folder) }
        folders = Set(folders + found).sorted { $0.isBefore($1) }
    }

    /// Takes the pages that no others can precede any more, in order.
    mutating func takeFront() -> [Range<Int>] {
        var pages: [Range<Int>] = []
        while let first = parts.first {
            pages += first.pages
            parts[0].pages.removeAll()
            guard first.isEnded else { break }
            parts.removeFirst()
        }
        return pages
    }

    /// Returns the best use of up to `count` requests; nil if every range is needed whole, or has no page yet.
    mutating func nextStep(_ count: Int) -> Step? {
        if let range = nextRange() { return .list(range) }
        guard allowance > 0 else { return nil }
        for (range, pages) in candidates() {
            let place = range.place
            let inside = folders(in: place)
            if !inside.isEmpty {
                if cut(range, at: points(in: place, folders: inside, count: count)) { break }
            } else if pages >= 2 * partPages, let folder = unexploredFolder(of: place),
                let index = index(of: range)
            {
                explored.insert(folder)
                guessCount += 1
                parts[index].isExploring = true
                // From the beginning of the last page on, the folders show how many a page has.
                return .explore(folder: folder, after: place.last ?? "", range)
            }
            // Where many guesses were wrong, keys lie in clusters, and one is made at a time.
            let points = points(in: place, pages: pages, count: count)
            let areGood = emptyCount <= Self.mostEmpty + pageCount / 32
            if cut(range, at: areGood ? points : Array(points.prefix(1))) { break }
        }
        return nextRange().map(Step.list)
    }

    /// The first range that was not begun, which is begun now: what is in front can be given sooner.
    private mutating func nextRange() -> ListingRange? {
        guard let index = parts.firstIndex(where: { !$0.isBegun }) else { return nil }
        parts[index].isBegun = true
        return parts[index].range
    }

    /// Folders at which to cut, so that each part has the pages of one.
    private func points(in place: ListingRange.Place, folders inside: ArraySlice<String>, count: Int)
        -> [String]
    {
        let first = folders.firstIndexInOrder { $0.isBefore(place.last ?? "") }
        let passed = inside.startIndex - first
        // A page within one folder suggests that the others may be longer than one.
        guard passed > 0 else { return Array(inside.prefix(count)) }
        let step = passed == 1 ? Int(partPages / 2) : passed * Int(partPages)
        return stride(from: inside.startIndex, to: inside.endIndex, by: step).dropFirst()
            .prefix(Self.mostParts).map { inside[$0] }
    }

    /// Points at which to cut by the characters of the keys, where `pages` may be left.
    private func points(in place: ListingRange.Place, pages: Double, count: Int) -> [String] {
        guard pages.isFinite, let through = place.through else {
            let spaces = [spaces[place.folder], space].compactMap(\.self)
            let points = spaces.map { space in
                space.points(
                    behind: place.position,
                    since: place.first ?? place.position,
                    pages: partPages,
                    count: count
                )
            }
            // In its folder, characters are a better guide; but it may end soon.
            return points.first { $0.count >= count } ?? points.last ?? []
        }
        let parts = parts(pages, count)
        return space(of: place, through: through).points(
            between: place.position,
            and: through,
            parts: parts,
            count: min(parts - 1, Self.mostParts)
        )
    }

    /// Returns the number of parts to cut `pages` into, of which `count` more can be listed at once.
    private func parts(_ pages: Double, _ count: Int) -> Int {
        let most = min(max(pages, 1), 1e6)
        return max(min(count + 1, Int(most / 2)), Int(most / partPages))
    }

    /// The number of pages that may be left in a range, whose last one began behind `last`; infinite if that cannot be said.
    private func pages(behind place: ListingRange.Place, since last: String) -> Double {
        guard let through = place.through else { return .infinity }
        let space = space(of: place, through: through)
        return space.steps(from: max(last, place.folder), to: place.position, until: through)
    }

    /// The characters by which the rest of a range can be divided: those in the folder of its last page, if the range ends there.
    private func space(of place: ListingRange.Place, through: String) -> KeySpace {
        through.utf8.starts(with: place.folder.utf8) ? spaces[place.folder] ?? space : space
    }

    /// The ranges worth a cut, the best first, with the number of pages that may be left.
    ///
    /// Of long ones, the first is the best, whose objects can be given first. Short ones, the longest first, are for the end, when
    /// nothing long is left or yet to be found.
    private func candidates() -> [(range: ListingRange, pages: Double)] {
        var all: [(range: ListingRange, pages: Double)] = []
        for part in parts where part.isBegun && !part.isEnded && !part.isExploring {
            let place = part.range.place
            guard place.isMoved, !place.isEnded, let last = place.last else { continue }
            all.append((part.range, pages(behind: place, since: last)))
        }
        let long = all.filter { $0.pages >= 2 * partPages }
        guard long.isEmpty, parts.last?.isEnded ?? true else { return long }
        return all.filter { $0.pages >= Self.leastPages }.sorted { $0.pages > $1.pages }
    }

    /// Cuts a range; returns false if none of the points lies in it.
    private mutating func cut(_ range: ListingRange, at points: [String]) -> Bool {
        let new = range.cut(at: Array(points.prefix(allowance)))
        guard !new.isEmpty, let index = index(of: range) else { return false }
        guessCount += new.count
        parts.insert(contentsOf: new.map { Part(range: $0) }, at: index + 1)
        return true
    }

    private func index(of range: ListingRange) -> Int? {
        parts.firstIndex { $0.range === range }
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
    /// The deepest folder that all keys of the last page are in; empty if there is none.
    fileprivate var folder: String {
        guard let first else { return "" }
        let count = zip(first.utf8, position.utf8).prefix { $0 == $1 }.count
        let common = position.utf8.prefix(count)
        guard let slash = common.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(decoding: common[...slash], as: UTF8.self)
    }
}
