using System.Runtime.CompilerServices;

namespace HybridCaching.Tiering;

/// <summary>In which order everything there is is looked at. See docs/concurrency.md.</summary>
internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>Whatever is found of the entries that are alive throughout: first in the log, from its oldest record to what was its newest when this began, then in what the log had let go, then in the hot tier, of whose copies the log has dropped some, or has no more, and at last in what the log got meanwhile.</summary>
    /// <param name="scanLog">Looks at the log between two addresses.</param>
    /// <param name="scanSettled">Looks at settled records; told where they lie by then, and where the log ended.</param>
    /// <param name="scanHot">Looks at the hot tier; told where the log ended.</param>
    /// <param name="cancellationToken">Ends the walk.</param>
    protected async IAsyncEnumerable<T> WalkAsync<T>(
        Func<long, long, IAsyncEnumerable<T>> scanLog, Func<Func<(long Begin, long Tail)>, long, IAsyncEnumerable<T>> scanSettled, Func<long, IAsyncEnumerable<T>> scanHot, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await LogCopiesAsync(cancellationToken).ConfigureAwait(false);
        long end = _log.TailAddress;
        long begin = _log.BeginAddress;
        await foreach (var found in scanLog(begin, end).ConfigureAwait(false)) yield return found;
        if (_settled is { } settled)
        {
            // Records are copied from probation to the main log meanwhile, and from its begin to its end: each is met where it is copied from, or where to.
            await foreach (var found in scanSettled(() => (settled.ProbationBegin, begin), end).ConfigureAwait(false)) yield return found;
            await foreach (var found in scanSettled(() => (settled.MainBegin, settled.MainTail), end).ConfigureAwait(false)) yield return found;
        }

        await foreach (var found in scanHot(end).ConfigureAwait(false)) yield return found;

        // What was stored again meanwhile, to prolong its life or before a checkpoint, and whose older record was dropped before the walk came to it.
        await foreach (var found in scanLog(end, _log.TailAddress).ConfigureAwait(false)) yield return found;
    }
}
