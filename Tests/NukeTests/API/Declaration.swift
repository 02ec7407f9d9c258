import Nuke
import Testing

// The files of this folder name every declaration of the library's public interface with its exact type, so that one that
// is missing or differs does not compile. They import nothing but Nuke, whose users need no more for Foundation's types.

/// Holds a type to its conformances.
func hashable<T: Hashable & Sendable>(_: T.Type) {}
func sendable<T: Sendable>(_: T.Type) {}
func described<T: CustomStringConvertible>(_: T.Type) {}
func literal<T: ExpressibleByStringLiteral & Hashable & Sendable>(_: T.Type)
where T.StringLiteralType == String {}
func options<T: OptionSet & Sendable>(_: T.Type) where T.Element == T {}
func failure<T: Error & CustomStringConvertible & Sendable>(_: T.Type) {}

/// Returns true if a property is read-only, by the type of its key path.
func isReadOnly<Root, Value>(_ path: KeyPath<Root, Value>) -> Bool {
    !(path is WritableKeyPath<Root, Value>)
}

/// A picture of one pixel.
var onePixel: PlatformImage { PlatformImage(width: 1, height: 1, rgba: Data([1, 2, 3, 255])) }

/// The URL that the tests of the interface name; nothing loads it.
var nowhere: URL { URL(fileURLWithPath: "/nowhere.jpg") }

/// A response that tells nothing.
var noResponse: URLResponse {
    URLResponse(url: nowhere, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
}
