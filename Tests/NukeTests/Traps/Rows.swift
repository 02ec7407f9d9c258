/// The tests that show how the library avoids each trap of Foundation on Linux and each weakness of Nuke.
///
/// Traps of Foundation on Linux:
///
///     18.1  URLCache is never filled, forgets queries, confirms nothing   FoundationTrapTests.responsesAreKeptByTheWholeURL
///     18.2  `.cancel` as a disposition is ignored                         FoundationTrapTests.aRefusedResponseEnds
///     18.3  the length of gzip content is that of the compressed bytes    FoundationTrapTests.compressedContentIsNotMeasuredByItsLength
///     18.4  allocated sizes are eight times too large                     FoundationTrapTests.theAllocatedSizeIsThatOfTheBlocks
///     18.5  metrics are never told                                        FoundationTrapTests.transfersAreTimed
///     18.6  file: and data: URLs fail                                     FoundationTrapTests.localResourcesAreRead
///     18.7  a printed CGSize makes other identifiers                      FoundationTrapTests.identifiersWriteSizesAsCoreGraphicsDoes
///     18.8  missing interfaces                                            FoundationTrapTests.whatFoundationLacksIsOurOwn
///     18.9  what works and is used                                        FoundationTrapTests.whatWorksIsUsed
///     18.10 six connections to a host, redirects that end                 FoundationTrapTests.aHostHasSixConnectionsAndRedirectsEnd
///
/// Weak points of Nuke:
///
///     19.1  a rate limiter that is blind to priority                      WeakPointTests.theRateIsGivenByPriority
///     19.2  keys that collide                                             WeakPointTests.keysKeepTheirPartsApart
///     19.3  writes that are seen half done                                WeakPointTests.filesAreWholeWhenTheyAreSeen
///     19.4  one sweep a process                                           WeakPointTests.theSizeLimitHoldsAfterEveryWrite
///     19.5  write errors that nobody learns of                            WeakPointTests.failedWritesAreTold
///     19.6  a second of stores lost at the end                            WeakPointTests.whatWasFlushedIsThere
///     19.7  staging without a bound                                       DataCacheTests.stagingIsBounded
///     19.8  the flush of one key while all is to be removed               DataCacheTests.flushOfOneKeyRemovesAllFirst
///     19.9  encoded images written against the options                    WeakPointTests.encodedImagesAreNotWrittenAgainstTheOptions
///     19.10 downloads shared over other headers and methods               WeakPointTests.downloadsAreSharedByWhatMatters
///     19.11 resuming without checks                                       WeakPointTests.onlyWhatFitsIsResumed
///     19.12 local files read where the books are kept                     WeakPointTests.localFilesAreReadOnTheLoadingQueue
///     19.13 a prefetcher that tells nothing of each request               WeakPointTests.thePrefetcherTellsOfEachRequest
///     19.14 no second try                                                 WeakPointTests.loadsAreTriedAgain
///     19.15 damaged entries that stay                                     WeakPointTests.damagedEntriesAreRemoved
///     19.16 queues as wide as a phone's                                   WeakPointTests.allCoresAreUsed
///     19.17 the original under the first key alone                        WeakPointTests.everyKeyGetsTheOriginal
///     19.18 headers and the position in line of who came first            WeakPointTests.whoJoinsIsHeeded
enum Rows {}
