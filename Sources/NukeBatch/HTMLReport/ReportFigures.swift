import Foundation
import JobStorage

/// Everything that the report shows but the pictures, read from the state in one go; its size does not grow with the job.
struct ReportFigures {
    /// How many rows the lists have at most.
    static let rows = 10

    let status: JobStatus
    let outputs: [OutputTotals]
    let hosts: [HostFailures]
    let requestTime: Distribution
    let originalSize: Distribution
    let outputSize: Distribution
    let slowest: [RequestListing]
    let largest: [(item: ItemListing, bytes: Int)]

    init(_ state: JobState) throws(RunError) {
        status = try state.status()
        do {
            let reader = state.reader
            outputs = try reader?.outputTotals() ?? []
            hosts = try reader?.failuresByHost(limit: 2 * Self.rows) ?? []
            requestTime = try reader?.distribution(of: .requestTime) ?? Distribution()
            originalSize = try reader?.distribution(of: .originalSize) ?? Distribution()
            outputSize = try reader?.distribution(of: .outputSize) ?? Distribution()
            slowest = try reader?.slowestRequests(limit: Self.rows).map(RequestListing.init) ?? []
            largest =
                try reader?.largestItems(limit: Self.rows).map { (ItemListing($0.item), $0.bytes) } ?? []
        } catch {
            throw RunError(error)
        }
    }
}

/// What errors mean, in a few words each.
enum ErrorMeaning {
    static func of(_ error: String) -> String {
        if let known = meanings[error] { return known }
        guard error.hasPrefix("http_"), let status = Int(error.dropFirst(5)) else { return "" }
        return switch status {
        case 400..<500: "the host refuses the request"
        case 500..<600: "the host has trouble of its own"
        default: "the host answered with another status"
        }
    }

    private static let meanings = [
        "http_401": "the host asks for a name and a password",
        "http_403": "the host does not give it to us",
        "http_404": "the host has no such file",
        "http_410": "the host has it no more",
        "http_429": "the host wants fewer requests",
        "http_451": "the host may not give it for legal reasons",
        "dns": "the host's name is not known",
        "refused": "nobody answers at the host's address",
        "timeout": "the host took too long",
        "reset": "the connection broke off",
        "tls": "the host's certificate or encryption is not accepted",
        "truncated": "less came than there is",
        "integrity": "what came is not what was announced",
        "empty": "nothing came",
        "too_large": "more than loading.maxBytes",
        "redirects": "redirected too often, or in a circle",
        "bad_url": "the URL cannot be read",
        "scheme": "the manifest does not allow the URL's scheme",
        "address": "the manifest does not allow the address or the file",
        "not_found": "the file is not there",
        "wrong_type": "it is no image that can be read",
        "corrupt": "the image is damaged",
        "limits": "more pixels or memory than the manifest allows",
        "processing": "the output could not be made",
        "collision": "two outputs have one path",
        "host_down": "the host failed too often in a row",
        "crashed": "it ended the process",
        "offline": "it is not cached, and nothing was to be loaded",
    ]
}
