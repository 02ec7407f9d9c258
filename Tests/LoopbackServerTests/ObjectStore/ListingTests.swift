import Foundation
import LoopbackServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct ListingTests {
    private static let keys = ["a", "b/1", "b/2", "b/c/3", "b0", "d e&<", "é"]

    private let store: LoopbackObjectStore
    private let client: StoreClient

    init() throws {
        store = try LoopbackObjectStore(
            .init("photos"),
            .init(
                "generated",
                generated: .init(
                    count: 1_000_000,
                    key: { number in
                        let digits = String(number + 1_000_000)
                        return "\(digits.prefix(4))/\(digits)"
                    },
                    size: { $0 % 7 }
                )
            )
        )
        client = StoreClient(store)
        for key in Self.keys { store.put(Data(key.utf8), key: key, bucket: "photos") }
    }

    /// The entries of all pages, each a key or a common prefix, and the number of pages.
    private func list(_ query: String, bucket: String = "photos") throws -> (entries: [String], pages: Int) {
        var (entries, pages, token): ([String], Int, String?) = ([], 0, nil)
        repeat {
            var target = "/\(bucket)?list-type=2&\(query)"
            if let known = token {
                let allowed = CharacterSet.alphanumerics
                target +=
                    "&continuation-token=\(known.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
            }
            let answer = try client.send("GET", target)
            #expect(answer.status == 200, "\(answer.text)")
            entries +=
                answer.elements("Key")
                + answer.elements("CommonPrefixes").map {
                    $0.replacingOccurrences(of: "</?Prefix>", with: "", options: .regularExpression)
                }
            pages += 1
            token = answer.element("NextContinuationToken")
            #expect(answer.element("IsTruncated") == (token == nil ? "false" : "true"))
        } while token != nil
        return (entries, pages)
    }

    @Test(arguments: [1, 2, 3, 1000])
    func listsEachKeyOnce(_ size: Int) throws {
        let listed = try list("max-keys=\(size)")
        #expect(listed.entries == ["a", "b/1", "b/2", "b/c/3", "b0", "d e&amp;&lt;", "é"])
        #expect(listed.pages == (Self.keys.count + size - 1) / size)
    }

    @Test(arguments: [1, 2, 1000])
    func rollsUpCommonPrefixes(_ size: Int) throws {
        let entries = try list("delimiter=%2F&max-keys=\(size)").entries
        #expect(entries.sorted() == ["a", "b/", "b0", "d e&amp;&lt;", "é"].sorted())
        #expect(
            try list("delimiter=%2F&max-keys=\(size)&prefix=b%2F").entries.sorted() == ["b/1", "b/2", "b/c/"]
        )
    }

    @Test func startsAfterAKeyAndEncodesKeys() throws {
        #expect(try list("start-after=b%2F2").entries.first == "b/c/3")
        #expect(try list("encoding-type=url&prefix=d").entries == ["d+e%26%3C"])
        #expect(try list("max-keys=0").entries.isEmpty)
    }

    @Test func tellsTheFactsOfAnObject() throws {
        let answer = try client.send("GET", "/photos?list-type=2&max-keys=1")
        #expect(answer.element("ETag") == "&quot;0cc175b9c0f1b6a831c399e269772661&quot;")
        #expect(answer.element("Size") == "1")
        #expect(answer.element("StorageClass") == "STANDARD")
    }

    @Test func listsGeneratedKeysFromAnyPlace() throws {
        let prefixes = try list("delimiter=%2F", bucket: "generated")
        #expect(prefixes.entries == (1000..<2000).map { "\($0)/" })
        #expect(prefixes.pages == 1)
        let part = try list("prefix=1234%2F", bucket: "generated")
        #expect(part.entries == (1_234_000..<1_235_000).map { "1234/\($0)" })
        let answer = try client.send("GET", "/generated/1234/1234006")
        #expect(answer.body.count == 234_006 % 7)
        #expect(answer.headers["etag"].map { $0.count } == 34)
        #expect(try client.send("GET", "/generated/1234/1235000").status == 404)
        #expect(try client.send("PUT", "/generated/key").status == 403)
    }

    @Test func refusesATokenThatIsNotItsOwn() throws {
        let answer = try client.send("GET", "/photos?continuation-token=eHl6&list-type=2")
        #expect(answer.status == 400)
        #expect(answer.element("Code") == "InvalidArgument")
    }

    @Test func repeatsKeysAndPagesAsAsked() throws {
        store.fault = { $0.number == 2 ? .repeatedKey : nil }
        #expect(try list("max-keys=3").entries.count == Self.keys.count + 1)
        store.fault = { $0.number == 5 ? .emptyPage : nil }
        let listed = try list("max-keys=4")
        #expect(listed.entries.count == Self.keys.count)
        #expect(listed.pages == 3)
        store.fault = { $0.parameter("continuation-token") == nil ? nil : .expiredContinuationToken }
        let first = try client.send("GET", "/photos?list-type=2&max-keys=1")
        let token = try #require(first.element("NextContinuationToken"))
        let encoded = try #require(token.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try client.send("GET", "/photos?continuation-token=\(encoded)&list-type=2").status == 400)
    }
}
