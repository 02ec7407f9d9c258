import Files
import Foundation
import Imaging
import JobManifest
import Testing
import Transport

@testable import JobPlanning
@testable import Originals

@Suite struct ItemErrorTests {
    private struct Fault: Error {}

    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://a.example/1.jpg?token=secret"))
    }

    private func error(_ reason: DataLoadingError.Reason, isTransient: Bool = false) -> ItemError {
        let error = DataLoadingError(reason, url: url, "it failed", isTransient: isTransient)
        return ItemError(loading: error, retrying: [])
    }

    private func status(_ status: Int, retryAfter: Duration? = nil, isHeld: Bool = false) -> ItemError {
        var error = DataLoadingError(status: status, response: nil, url: url)
        (error.retryAfter, error.isHostHeld) = (retryAfter, isHeld)
        return ItemError(loading: error, retrying: [429, 503])
    }

    @Test(
        "a failed transfer has the class of its reason",
        arguments: [
            (.dns, .dns), (.refused, .refused), (.timeout, .timeout), (.reset, .reset),
            (.tls, .tls), (.truncated, .truncated), (.tooLarge, .tooLarge), (.redirects, .redirects),
            (.badURL, .badURL), (.scheme, .scheme), (.address, .address), (.notFound, .notFound),
        ] as [(DataLoadingError.Reason, ErrorCode)]
    )
    func reasons(reason: DataLoadingError.Reason, code: ErrorCode) {
        #expect(error(reason).code == code)
        // Only the transfer knows if the same request may succeed later.
        #expect(error(reason).handling == .permanent)
        #expect(error(reason, isTransient: true).handling == .retry(atMost: nil))
        #expect(error(reason).message == "https://a.example/1.jpg: it failed")
    }

    @Test("some failures have a consequence of their own, transient or not", arguments: [false, true])
    func consequences(isTransient: Bool) {
        #expect(error(.local, isTransient: isTransient).handling == .local)
        #expect(error(.hostDown, isTransient: isTransient).handling == .nextRun)
        #expect(error(.integrity, isTransient: isTransient).handling == .retry(atMost: 2))
        for reason in [DataLoadingError.Reason.empty, .protocol] {
            let error = error(reason, isTransient: isTransient)
            #expect(error.code == .reset && error.handling == .retry(atMost: nil))
        }
    }

    @Test("the remedy for a refused address is the manifest's, not the loader's")
    func refusedAddress() throws {
        let refusal = try #require(AddressPolicy.publicOnly.refusal(of: "127.0.0.1"))
        let error = ItemError(loading: DataLoadingError(refusal, url: url), retrying: [])
        #expect(error.code == .address && error.handling == .permanent)
        #expect(
            error.message == """
                https://a.example/1.jpg: 127.0.0.1 is not a public address; add "127.0.0.1" to network.allow \
                (--allow 127.0.0.1 of resize and convert) to reach it
                """
        )
    }

    @Test("the manifest says which statuses are tried again")
    func statuses() {
        #expect(status(503).handling == .retry(atMost: nil))
        #expect(status(503).code == .http(503) && status(503).status == 503)
        #expect(status(500).handling == .permanent)
        #expect(status(404).handling == .permanent && status(404).status == 404)
    }

    @Test(
        "a pause of the host holds the item as long as it asks for, a second without a word",
        arguments: [
            (nil, 1000), (.zero, 0), (.milliseconds(1500), 1500), (.seconds(3600), 3_600_000),
        ] as [(Duration?, Int64)]
    )
    func held(retryAfter: Duration?, milliseconds: Int64) {
        let error = status(429, retryAfter: retryAfter, isHeld: true)
        #expect(error.handling == .hostHeld(milliseconds: milliseconds, atMost: 20))
        #expect(error.code == .http(429) && error.status == 429)
        #expect(status(429, retryAfter: retryAfter).handling == .retry(atMost: nil))
    }

    @Test(
        "a fetch's own errors have their classes",
        arguments: [
            (FetchError.notCached, .offline, .nextRun), (FetchError.empty, .empty, .permanent),
            (FetchError.tooLarge, .tooLarge, .permanent),
            (FetchError.cancelled, .interrupted, .interrupted),
            (CancellationError(), .interrupted, .interrupted),
        ] as [(any Error, ErrorCode, ItemError.Handling)]
    )
    func fetch(error: any Error, code: ErrorCode, handling: ItemError.Handling) {
        let error = ItemError(loading: error, retrying: [])
        #expect(error.code == code && error.handling == handling)
    }

    @Test(
        "a file that cannot be read is missing, too large, not allowed or trouble of the machine",
        arguments: [
            (ENOENT, .notFound), (ENOTDIR, .notFound), (EFBIG, .tooLarge), (EACCES, .address),
            (EPERM, .address), (ELOOP, .address), (ENOSPC, .local), (EMFILE, .local), (EIO, .local),
        ] as [(Int32, ErrorCode)]
    )
    func files(code: Int32, expected: ErrorCode) {
        let error = FileError("read", "/a.png", code: code)
        #expect(ItemError(error).code == expected)
    }

    @Test(
        "an image that cannot be used says why",
        arguments: [
            (.wrongType, .wrongType), (.unsupported, .wrongType), (.corrupt, .corrupt),
            (.truncated, .corrupt),
            (.limits, .limits), (.processing, .processing), (.memory, .local),
        ] as [(ImagingError.Reason, ErrorCode)]
    )
    func images(reason: ImagingError.Reason, code: ErrorCode) {
        #expect(ItemError(ImagingError(reason, "m")).code == code)
    }

    @Test("any other error keeps what it is, or is a failure of processing")
    func others() {
        #expect(ItemError(CancellationError()).handling == .interrupted)
        #expect(ItemError(ItemError(.dns, "m", handling: .nextRun)).handling == .nextRun)
        #expect(ItemError(Fault()).code == .processing)
    }

    @Test("secrets are not told, everything else is")
    func hiding() {
        let error = ItemError(.http(403), "no entry for key-1234 at x", handling: .nextRun, status: 403)
        var redaction = NetworkLog.Redaction()
        #expect(error.hidden(by: redaction).message == error.message)
        redaction.texts = ["key-1234": "${KEY}"]
        let hidden = error.hidden(by: redaction)
        #expect(hidden.message == "no entry for ${KEY} at x")
        #expect(hidden.code == .http(403) && hidden.handling == .nextRun && hidden.status == 403)
    }
}
