import Foundation
import Testing

@testable import ObjectStorage

struct S3PageParserTests {
    private func parsed(_ members: String) -> S3Page? {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>\(members)</ListBucketResult>
            """
        return S3Page(Data(text.utf8))
    }

    @Test func readsObjectsAndPrefixes() throws {
        let page = try #require(
            parsed(
                """
                <Prefix>p/</Prefix><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>
                <Contents><Key>p/a+b%2Bc%20%C3%A9.jpg</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified>
                <ETag>&quot;fba9dede5f27731c9771645a39863328&quot;</ETag><Size>434234</Size>
                <Owner><ID>x</ID><DisplayName>Key</DisplayName></Owner></Contents>
                <Contents><Key>p/z</Key><Size>0</Size></Contents>
                <CommonPrefixes><Prefix>p/q%2F</Prefix></CommonPrefixes>
                """
            )
        )
        #expect(page.isTruncated)
        #expect(page.entries.map(\.key) == ["p/a b+c é.jpg", "p/z"])
        let facts = try #require(page.entries.first?.facts)
        #expect(facts.size == 434_234)
        #expect(facts.etag == "\"fba9dede5f27731c9771645a39863328\"")
        #expect(facts.modified == Date(timeIntervalSince1970: 1_255_369_830))
        #expect(page.entries.last?.facts == ObjectFacts(size: 0))
        #expect(page.prefixes == ["p/q/"])
    }

    @Test func leavesKeysAsTheyAreWithoutTheEncoding() throws {
        let page = try #require(parsed("<Contents><Key>a+b%20c &amp; &lt;d&gt;</Key></Contents>"))
        #expect(page.entries.map(\.key) == ["a+b%20c & <d>"])
        #expect(!page.isTruncated)
    }

    @Test(
        "the word on whether the listing goes on, which decides what is left out",
        arguments: [
            ("true", true), ("True", true), (" true ", true), ("1", true), ("false", false), ("FALSE", false),
            ("0", false), ("yes", nil), ("", nil), ("truefalse", nil),
        ]
    )
    func readsTheTruncation(word: String, isTruncated: Bool?) {
        let page = parsed("<IsTruncated>\(word)</IsTruncated><Contents><Key>a</Key></Contents>")
        #expect(page?.isTruncated == isTruncated)
    }

    @Test("a page without that word goes on if it is full or names the rest")
    func goesOnWithoutTheWord() throws {
        let keys = (0..<1000).map { "<Contents><Key>\($0)</Key></Contents>" }
        #expect(try #require(parsed(keys.joined())).isTruncated)
        #expect(try #require(parsed(keys.dropLast().joined())).isTruncated == false)
        #expect(try #require(parsed("<NextContinuationToken>t</NextContinuationToken>")).isTruncated)
    }

    @Test(arguments: [
        "", "<Error><Code>NoSuchBucket</Code></Error>", "<ListBucketResult>", "not XML",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><ListBucketResult></ListBucketResult>",
    ])
    func refusesOtherDocuments(text: String) {
        #expect(S3Page(Data(text.utf8)) == nil)
    }

    @Test func takesAnyBytes() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...(.max), using: &generator)
        print("seed \(seed)")
        var state = seed
        let whole = Array(
            "<ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>".utf8
        )
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            // Any answer will do, but for a key that is longer than the text.
            if let page = S3Page(Data(bytes)) {
                #expect(page.entries.allSatisfy { $0.key.utf8.count < bytes.count })
            }
        }
    }
}
