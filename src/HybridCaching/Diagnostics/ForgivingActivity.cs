using System.Diagnostics;

namespace HybridCaching.Diagnostics;

/// <summary>An activity that goes on if those who listen to it throw: what was to be told is lost, the cache is not.</summary>
internal sealed class ForgivingActivity : IDisposable
{
    private readonly Activity _activity;

    private ForgivingActivity(Activity activity) => _activity = activity;

    /// <summary>Starts one that does not become the current one.</summary>
    /// <returns>Null if nobody wants it.</returns>
    public static ForgivingActivity? TryStart(ActivitySource source, string name, string tag, string value)
    {
        var current = Activity.Current;
        try
        {
            var activity = source.StartActivity(name);
            activity?.SetTag(tag, value);
            return activity is null ? null : new ForgivingActivity(activity);
        }
        catch (Exception)
        {
            return null;
        }
        finally
        {
            Activity.Current = current;
        }
    }

    /// <summary>Says why it came to nothing.</summary>
    public void Fail(string description) => _activity.SetStatus(ActivityStatusCode.Error, description);

    /// <inheritdoc/>
    public void Dispose()
    {
        var current = Activity.Current;
        try
        {
            _activity.Dispose();
        }
        catch (Exception)
        {
            // As said above.
        }
        finally
        {
            Activity.Current = current;
        }
    }
}
