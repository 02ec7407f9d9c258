import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

/// The plan of a listing, against a store without a network whose answers come in the order of the requests, or in any.
@Suite(.timeLimit(.minutes(5))) struct ListingPlanTests {
    /// Keys in the order of their numbers.
    private struct Keys {
        let count: Int
        let key: (Int) -> String

        init(_ layout: String, count: Int) {
            self.count = count
            func digits(_ number: Int, _ width: Int) -> String {
                String(String(10_000_000_000 + number).suffix(width))
            }
            func hexadecimal(_ number: Int) -> String {
                let text = String(UInt64(number) * (.max / UInt64(count)), radix: 16)
                return String(repeating: "0", count: 16 - text.count) + text
            }
            key =
                switch layout {
                case "flat": { "photos/img-\(digits($0, 9)).jpg" }
                case "digests": { "photos/\(hexadecimal($0)).jpg" }
                case "tree":
                    {
                        $0 < count / 2
                            ? "photos/archive/img-\(digits($0, 9)).jpg"
                            : "photos/days/\(digits($0, 9).prefix(8))/\($0 % 10).jpg"
                    }
                case "prefixes":
                    { number in
                        let name = hexadecimal(number)
                        return "photos/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name).jpg"
                    }
                default:
                    { number in
                        let day = number / max(1, count / 3000)
                        return
                            "photos/\(2015 + day / 300)/\(digits(1 + day / 25 % 12, 2))/\(digits(1 + day % 25, 2))/"
                            + "\(digits(number, 8)).jpg"
                    }
                }
        }

        /// The page of the keys below `prefix` behind another, with folders in place of what is in them where `folders` is true.
        func page(_ prefix: String, after: String, folders: Bool, most: Int) -> S3Page {
            let start = max(first { $0.isBefore(prefix) }, first { !after.isBefore($0) })
            var (page, number) = (S3Page(), start)
            while number < count {
                let key = key(number)
                guard key.utf8.starts(with: prefix.utf8) else { break }
                guard page.entries.count + page.prefixes.count < most else {
                    page.isTruncated = true
                    break
                }
                let slash = key.utf8.dropFirst(prefix.utf8.count).firstIndex(of: UInt8(ascii: "/"))
                if folders, let slash {
                    let folder = String(decoding: key.utf8[...slash], as: UTF8.self)
                    page.prefixes.append(folder)
                    number = first { $0.isBefore(folder) || $0.utf8.starts(with: folder.utf8) }
                } else {
                    page.entries.append(S3Page.Entry(key: key, facts: ObjectFacts(size: 1)))
                    number += 1
                }
            }
            return page
        }

        private func first(_ isBefore: (String) -> Bool) -> Int {
            (0..<count).firstIndexInOrder { isBefore(key($0)) }
        }
    }

    /// The requests of a listing, the mean number of them at once, and the numbers of objects that were given with each answer.
    ///
    /// `next` returns which of so many requests is answered next.
    private func list(_ keys: Keys, pageCount: Int, width: Int = 32, next: (Int) -> Int = { _ in 0 }) throws
        -> (requests: Int, running: Double, given: [Int])
    {
        enum Request { case page(ListingRange, S3Page), folders(String, ListingRange, S3Page) }
        var plan = ListingPlan(prefix: "")
        var waiting: [Request] = []
        var (full, stored, requests): (Int, [String], Int) = (0, [], 0)
        var (given, counts): ([String], [Int]) = ([], [])
        var running = 0
        func ask(_ range: ListingRange) -> Request {
            .page(range, keys.page("", after: range.place.position, folders: false, most: pageCount))
        }
        while true {
            let most = min(width, max(1, 2 * full))
            while waiting.count < most, let step = plan.nextStep(most - waiting.count) {
                requests += 1
                switch step {
                case .list(let range): waiting.append(ask(range))
                case .explore(let folder, let after, let range):
                    waiting.append(
                        .folders(
                            folder,
                            range,
                            keys.page(folder, after: after, folders: true, most: pageCount)
                        )
                    )
                }
            }
            guard !waiting.isEmpty else { break }
            running += waiting.count
            switch waiting.remove(at: next(waiting.count)) {
            case .folders(let folder, let range, let page):
                plan.add(page.prefixes, in: folder, of: range, isWhole: !page.isTruncated)
            case .page(let range, let page):
                let taken = try range.take(page)
                let start = stored.count
                stored += taken.entries.map(\.key)
                let ends = ListingPlan.Ends(
                    first: taken.entries.first?.key,
                    last: taken.entries.last?.key,
                    isEnd: taken.isEnd
                )
                plan.add(start..<stored.count, to: range, ends)
                for page in plan.takeFront() { given += stored[page] }
                if !taken.isEnd {
                    full += 1
                    requests += 1
                    waiting.append(ask(range))
                }
            }
            counts.append(given.count)
        }
        #expect(given == (0..<keys.count).map(keys.key), "lost, repeated or out of order")
        return (requests, Double(running) / Double(counts.count), counts)
    }

    @Test(
        "a thousand pages take few requests more, and are given from the front while the rest is listed",
        arguments: [("flat", 150), ("digests", 150), ("tree", 150), ("prefixes", 150), ("dates", 400)]
    )
    func large(layout: String, more: Int) throws {
        let (requests, running, given) = try list(Keys(layout, count: 100_000), pageCount: 100)
        #expect(requests <= 1000 + more, "\(layout)")
        #expect(running > 16, "\(layout): \(running) of 32 requests at once")
        #expect(
            given[given.count * 3 / 4] > 10_000,
            "\(layout): \(given[given.count * 3 / 4]) after three quarters"
        )
    }

    @Test(
        "small buckets take at most two requests a page, in whichever order answers come",
        arguments: ["flat", "digests", "tree", "prefixes", "dates"]
    )
    func small(layout: String) throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "small buckets"))
        for pages in [1, 3, 5, 10, 20, 32] {
            let keys = Keys(layout, count: pages == 1 ? 90 : pages * 100)
            let most = pages == 1 ? 1 : 2 * pages
            #expect(try list(keys, pageCount: 100).requests <= most, "\(layout), \(pages) pages in order")
            for _ in 0..<20 {
                let requests = try list(keys, pageCount: 100) { .random(in: 0..<$0, using: &random) }.requests
                #expect(requests <= most, "\(layout), \(pages) pages")
            }
        }
    }
}
