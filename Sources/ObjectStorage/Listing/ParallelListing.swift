public import Files
import Foundation

/// Lists the keys of a bucket below a prefix, several ranges of them at once.
///
/// A service gives a thousand keys a request, and only in their order. Any text can be the key that a page continues behind,
/// though, so that a long range can be cut wherever there are requests to spare. Objects arrive in any order and are put into
/// a file; those that no other can precede any more are given at once.
///
/// Ranges would lose keys that do not come in the order of their bytes: SeaweedFS and directory buckets
/// (`…--x-s3`) are listed page by page, as is any store that answers with a page out of order.
///
/// In memory are at most ``width`` pages. It may be used from any thread.
public struct ParallelListing: Sendable {
    /// The most requests at once.
    public static let width = 32
    /// The most answers in turn that get nowhere: without a key, and to be continued.
    private static let mostEmptyPages = 100

    private let listing: S3Listing
    private let bucket: String
    private let prefix: String
    private let width: Int
    /// The most keys of a page.
    var pageCount = S3Listing.pageCount
    private let selects: @Sendable ([ObjectPage.Entry]) -> [ObjectPage.Entry]

    /// Creates a listing; nothing is sent yet.
    /// - Parameters:
    ///   - client: Sends the requests, and repeats those that fail.
    ///   - bucket: The bucket.
    ///   - prefix: The beginning of the keys.
    ///   - width: The most requests at once.
    ///   - selects: Returns the objects of a page that are wanted. Called on any thread.
    public init(
        _ client: S3Client,
        bucket: String,
        prefix: String,
        width: Int = width,
        selecting selects: @escaping @Sendable ([ObjectPage.Entry]) -> [ObjectPage.Entry] = { $0 }
    ) {
        listing = S3Listing(client, bucket: bucket)
        (self.bucket, self.prefix, self.width, self.selects) = (bucket, prefix, max(1, width), selects)
    }

    /// The answer to a request.
    private enum Answer: Sendable {
        case page(ListingRange, Page)
        case folders(in: String, ListingRange, S3Page)
    }

    private struct Page: Sendable {
        /// The objects that are wanted.
        let records: Data
        /// The number of keys, wanted or not.
        let count: Int
        let ends: ListingPlan.Ends
    }

    /// Lists all keys.
    /// - Parameter folder: The folder on whose file system the objects are kept.
    /// - Returns: The objects that are wanted, in the order of their keys, or of the store where it has another; each once.
    /// - Throws: ``StoreError``; `cancelled` if the task is.
    public func list(in folder: Folder) async throws(StoreError) -> ListedObjects {
        let objects: ListedObjects
        do throws(FileError) { objects = try ListedObjects(in: folder) } catch { throw StoreError(error) }
        try await list(into: objects)
        return objects
    }

    /// Lists all keys as above into `objects`, which can be read meanwhile and are ended at last.
    ///
    /// A store may turn out late to have another order: then they are restarted.
    /// - Throws: ``StoreError``, with which `objects` end, too.
    public func list(into objects: ListedObjects) async throws(StoreError) {
        do throws(StoreError) {
            objects.end(.success(try await listed(into: objects)))
        } catch {
            objects.end(.failure(error))
            throw error
        }
    }

    private func listed(into objects: ListedObjects) async throws(StoreError) -> Int {
        do {
            guard !bucket.hasSuffix("--x-s3") else { return try await listInTurn(into: objects) }
            do {
                return try await listRanges(into: objects)
            } catch is ListingRange.Disorder {
                objects.restart()
                return try await listInTurn(into: objects)
            }
        } catch let error as StoreError {
            throw error
        } catch let error as FileError {
            throw StoreError(error)
        } catch {
            throw StoreError(.cancelled, "list s3://\(bucket)/\(prefix) was cancelled")
        }
    }

    /// Lists ranges of keys at once.
    /// - Returns: The number of keys.
    /// - Throws: `ListingRange.Disorder` if the store lists keys in another order than that of their bytes.
    private func listRanges(into objects: ListedObjects) async throws -> Int {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            var plan = ListingPlan(prefix: prefix)
            var (count, pages, running) = (0, 0, 0)
            func send(_ request: @escaping @Sendable () async throws -> Answer) {
                group.addTask(operation: request)
                running += 1
            }
            while true {
                // A small bucket takes few requests: each page that was full lets two follow.
                let most = min(width, max(1, 2 * pages))
                while running < most, let step = plan.nextStep(most - running) {
                    switch step {
                    case .explore(let folder, let key, let range):
                        send { try await explore(folder, after: key, range) }
                    case .list(let range): send { try await next(range) }
                    }
                }
                guard let answer = try await group.next() else { return count }
                running -= 1
                switch answer {
                case .page(let range, let page):
                    plan.add(try objects.store(page.records), to: range, page.ends)
                    objects.add(plan.takeFront())
                    count += page.count
                    if !page.ends.isEnd {
                        pages += 1
                        send { try await next(range) }
                    }
                case .folders(let folder, let range, let page):
                    plan.add(page.prefixes, in: folder, of: range, isWhole: !page.isTruncated)
                }
            }
        }
    }

    /// Lists one page after the other, in the order of the store.
    /// - Returns: The number of keys.
    private func listInTurn(into objects: ListedObjects) async throws -> Int {
        var (last, token, listed) = ("", String?.none, 0)
        var progress = ListingProgress()
        while true {
            let page = try await page(behind: last, token: token)
            let entries = page.entries.filter { !$0.key.utf8.elementsEqual(last.utf8) }
            try progress.goOn(behind: entries.first?.key, in: "s3://\(bucket)/\(prefix)")
            let place = try objects.store(selects(entries))
            if !place.isEmpty { objects.add([place]) }
            listed += entries.count
            last = entries.last?.key ?? last
            token = page.token
            if !page.isTruncated { return listed }
        }
    }

    /// Asks for the next page of a range.
    private func next(_ range: ListingRange) async throws -> Answer {
        let page = try await page(behind: range.place.position)
        let taken = try range.take(page)
        var records = Data(capacity: taken.entries.count * 128)
        for entry in selects(taken.entries) { ObjectRecords.append(entry, to: &records) }
        return .page(
            range,
            Page(
                records: records,
                count: taken.entries.count,
                ends: ListingPlan.Ends(
                    first: taken.entries.first?.key,
                    last: taken.entries.last?.key,
                    isEnd: taken.isEnd
                )
            )
        )
    }

    /// Returns the page behind a key, or that of a token; it has keys unless the listing ends.
    private func page(behind key: String, token: String? = nil) async throws(StoreError) -> S3Page {
        var token = token
        for _ in 0..<Self.mostEmptyPages {
            do throws(StoreError) {
                let page = try await listing.page(
                    prefix: prefix,
                    after: token == nil && !key.isEmpty ? key : nil,
                    token: token,
                    count: pageCount
                )
                // A page that only repeats the key is as good as empty.
                let isEmpty = page.entries.allSatisfy { $0.key.utf8.elementsEqual(key.utf8) }
                if !isEmpty || !page.isTruncated { return page }
                token = page.token
            } catch {
                // A token may have ended; the key has not.
                guard token != nil, error.reason == .refused, error.service?.status == 400 else {
                    throw error
                }
                token = nil
            }
        }
        throw StoreError(
            .unavailable,
            "cannot list s3://\(bucket)/\(prefix): the store answers with empty pages behind \(key.debugDescription)"
        )
    }

    /// Asks for the folders in `folder` that follow a key.
    private func explore(_ folder: String, after key: String, _ range: ListingRange) async throws -> Answer {
        let page = try await listing.page(
            prefix: folder,
            after: key.isEmpty ? nil : key,
            delimiter: "/",
            count: pageCount
        )
        return .folders(in: folder, range, page)
    }
}
