import Foundation
import Transport

/// Parses the document of a listing without a tree, since listings have millions of keys.
final class S3PageParser: XMLReader {
    /// The elements whose text counts.
    private enum Field {
        case key, size, etag, modified, storageClass, prefix, isTruncated, token, encoding

        static func named(_ name: UnsafePointer<CChar>) -> Field? {
            for (field, text) in names where strcmp(name, text.utf8Start) == 0 { return field }
            return nil
        }

        private static let names: [(Field, StaticString)] = [
            (.key, "Key"), (.size, "Size"), (.etag, "ETag"), (.modified, "LastModified"),
            (.storageClass, "StorageClass"), (.prefix, "Prefix"), (.isTruncated, "IsTruncated"),
            (.token, "NextContinuationToken"), (.encoding, "EncodingType"),
        ]
    }

    /// The root of the document, and its members that repeat.
    private enum Group {
        case none, root, contents, commonPrefixes
    }

    private var page = S3Page()
    private var group = Group.none
    private var depth = 0
    private var field: Field?
    private var text: [UInt8] = []
    private var (key, etag): ([UInt8], String?) = ([], nil)
    private var (size, modified): (Int, Date?) = (0, nil)
    /// The storage class if it is an archive, and true if the object has been restored from it.
    private var (archive, isRestored): (String?, Bool) = (nil, false)
    private var isEncoded = false
    /// The word on whether the listing goes on; nil for a page without one.
    private var isTruncated: Bool?
    private var isValid = false

    /// Returns the page of a document; nil if it is not a listing, or not well-formed.
    static func page(of document: Data) -> S3Page? {
        let reader = S3PageParser()
        guard reader.read(document, namespaces: false), reader.isValid else { return nil }
        reader.page.isTruncated = reader.isTruncated ?? reader.page.mayGoOn
        reader.decodeKeys()
        return reader.page
    }

    override func begin(_ name: UnsafePointer<CChar>) {
        depth += 1
        switch depth {
        case 1:
            isValid = strcmp(name, "ListBucketResult") == 0
            group = .root
        case 2 where strcmp(name, "Contents") == 0:
            group = .contents
            (key, etag, size, modified) = ([], nil, 0, nil)
            (archive, isRestored) = (nil, false)
        case 2 where strcmp(name, "CommonPrefixes") == 0: group = .commonPrefixes
        case 2 where group == .root, 3 where group != .root:
            field = Field.named(name)
            text.removeAll(keepingCapacity: true)
        case 4 where group == .contents:
            field = nil
            if strcmp(name, "RestoreExpiryDate") == 0 { isRestored = true }
        default: field = nil
        }
    }

    override func add(_ bytes: UnsafeRawBufferPointer) {
        if field != nil { text += bytes }
    }

    override func end() {
        depth -= 1
        if depth == 1, group != .root {
            if group == .contents {
                var facts = ObjectFacts(size: size, etag: etag, modified: modified)
                facts.archive = isRestored ? nil : archive
                page.entries.append(S3Page.Entry(key: String(decoding: key, as: UTF8.self), facts: facts))
            }
            group = .root
        }
        guard let field else { return }
        self.field = nil
        switch (group, field) {
        case (.contents, .key): key = text
        case (.contents, .size): size = Int(String(decoding: text, as: UTF8.self)) ?? 0
        case (.contents, .etag): etag = String(decoding: text, as: UTF8.self)
        case (.contents, .modified): modified = Self.date(text)
        case (.contents, .storageClass): archive = Self.archives.first { Array($0.utf8) == text }
        case (.commonPrefixes, .prefix): page.prefixes.append(String(decoding: text, as: UTF8.self))
        case (.root, .isTruncated): takeTruncation()
        case (.root, .token): page.token = String(decoding: text, as: UTF8.self)
        case (.root, .encoding): isEncoded = text == Array("url".utf8)
        default: break
        }
    }

    /// Takes the word on whether the listing goes on: a boolean of XML Schema, which some services write with a capital letter.
    ///
    /// A page with another word is none: to end there would leave out the rest of the bucket.
    private func takeTruncation() {
        switch String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased() {
        case "true", "1": isTruncated = true
        case "false", "0": isTruncated = false
        default: isValid = false
        }
    }

    /// The storage classes whose objects must be restored before they are read (Amazon S3 User Guide, "Working with archived
    /// objects").
    private static let archives = ["GLACIER", "DEEP_ARCHIVE"]

    /// Decodes the keys, if the service has encoded them as it was asked to: control characters cannot stand in XML.
    private func decodeKeys() {
        guard isEncoded else { return }
        page.entries = page.entries.map { S3Page.Entry(key: Self.decoded($0.key), facts: $0.facts) }
        page.prefixes = page.prefixes.map(Self.decoded)
    }

    /// Returns a text without the encoding of forms.
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return text
        }
        return String(decoding: PercentEncoding.decoded(text, isForm: true), as: UTF8.self)
    }

    /// Returns the date of `2009-10-12T17:50:30.000Z`, the only form that S3 uses.
    private static func date(_ text: [UInt8]) -> Date? {
        guard text.count >= 20, text.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            text[range].reduce(0) { $0 &* 10 &+ Int32($1 &- 0x30) }
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            number(0..<4) - 1900, number(5..<7) - 1, number(8..<10)
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}
