/* Queues, buffers, copies and events: two queues work on rows of one matrix beside the program; an
 * event says when one may go on where the other was.
 *
 *     cc queue.c $(pkg-config --cflags --libs lunarray) -o queue && ./queue
 *
 * prints:
 *     a row of the buffer: 24 bytes
 *     9 9 9
 *     0 1 2
 *     0 0 0
 *     expression: 3 4 5
 *     refused: the copy does not fit: elements 1 to 3 along axis 1 of the target, which has 3
 */
#include <stdio.h>

#include <lunarray.h>

enum { ROWS = 3, COLUMNS = 3 };

typedef struct work {
    lun_engine *e;
    lun_queue *first, *second;
    lun_memory *matrix;
    lun_event *filled;
    lun_array *row, *result, *sum;
} work;

static lun_status open_all(work *w)
{
    const lun_queue_options beside = {.size = sizeof beside, .async = true};
    const int64_t shape[2] = {ROWS, COLUMNS}, one[2] = {1, COLUMNS};
    const double elements[COLUMNS] = {0, 1, 2}, zeros[ROWS * COLUMNS] = {0};
    lun_array *flat = NULL, *three = NULL;
    lun_status s = lun_open(NULL, &w->e);
    if (s == LUN_OK)
        s = lun_queue_new(w->e, "openmp", &beside, &w->first);
    if (s == LUN_OK)
        s = lun_queue_new(w->e, "openmp", &beside, &w->second);
    if (s == LUN_OK)
        s = lun_buffer_new(w->e, "host", 2, shape, LUN_F64, &w->matrix);
    if (s == LUN_OK)
        s = lun_vector(w->e, elements, COLUMNS, LUN_F64, &flat);
    if (s == LUN_OK)
        s = lun_reshape(w->e, flat, 2, one, &w->row);
    lun_release(flat);
    if (s == LUN_OK)
        s = lun_number(w->e, 3, &three);
    if (s == LUN_OK)
        s = lun_add(w->e, w->row, three, &w->sum); /* which waits */
    lun_release(three);
    flat = NULL;
    if (s == LUN_OK)
        s = lun_vector(w->e, zeros, ROWS * COLUMNS, LUN_F64, &flat);
    if (s == LUN_OK)
        s = lun_reshape(w->e, flat, 2, shape, &w->result);
    lun_release(flat);
    return s;
}

/* Gives all of it: nothing is done yet when this returns, or some of it. */
static lun_status give(work *w)
{
    lun_copy_side array = {.size = sizeof array, .array = w->row};
    lun_copy_side row = {.size = sizeof row, .buffer = w->matrix, .from = {1, 0}};
    lun_copy_side whole = {.size = sizeof whole, .buffer = w->matrix};
    lun_copy_side result = {.size = sizeof result, .array = w->result};
    lun_status s = lun_queue_copy(w->first, &row, &array, NULL);
    if (s == LUN_OK)
        s = lun_queue_record(w->first, &w->filled);
    if (s == LUN_OK)
        s = lun_set(w->e, w->row, 0, (lun_value){.dtype = LUN_F64, .as.d = 9});
    for (int64_t k = 1; s == LUN_OK && k < COLUMNS; k++)
        s = lun_set(w->e, w->row, k, (lun_value){.dtype = LUN_F64, .as.d = 9});
    row.from[0] = 0;
    if (s == LUN_OK)
        s = lun_queue_wait_for(w->second, w->filled); /* the program does not wait */
    if (s == LUN_OK)
        s = lun_queue_copy(w->second, &row, &array, NULL);
    if (s == LUN_OK)
        s = lun_queue_copy(w->second, &result, &whole, NULL);
    if (s == LUN_OK)
        s = lun_queue_evaluate(w->second, w->sum);
    return s;
}

static lun_status print_all(const work *w)
{
    lun_buffer_info info = {.size = sizeof info};
    double m[ROWS * COLUMNS], x[COLUMNS];
    lun_buffer_get(w->matrix, &info);
    printf("a row of the buffer: %lld bytes\n", (long long)info.pitch);
    lun_status s = lun_read(w->e, w->result, m, 0, ROWS * COLUMNS);
    for (int k = 0; s == LUN_OK && k < ROWS; k++)
        printf("%g %g %g\n", m[k * COLUMNS], m[k * COLUMNS + 1], m[k * COLUMNS + 2]);
    if (s == LUN_OK)
        s = lun_read(w->e, w->sum, x, 0, COLUMNS);
    if (s == LUN_OK)
        printf("expression: %g %g %g\n", x[0], x[1], x[2]);
    return s;
}

int main(void)
{
    work w = {0};
    lun_status s = open_all(&w);
    if (s == LUN_OK)
        s = give(&w);
    if (s == LUN_OK)
        s = lun_queue_wait(w.second); /* what failed in it would be told here */
    if (s == LUN_OK)
        s = print_all(&w);
    if (s != LUN_OK) {
        fprintf(stderr, "%s\n", lun_error(w.e));
        lun_close(w.e);
        return 1;
    }
    const lun_copy_side to = {.size = sizeof to, .buffer = w.matrix, .from = {0, 1}};
    const lun_copy_side from = {.size = sizeof from, .array = w.row};
    if (lun_queue_copy(w.first, &to, &from, NULL) != LUN_OK)
        printf("refused: %s\n", lun_error(w.e));
    lun_event_release(w.filled);
    lun_release(w.row);
    lun_release(w.sum);
    lun_release(w.result);
    lun_buffer_release(w.matrix);
    lun_queue_free(w.first);
    lun_queue_free(w.second);
    lun_close(w.e);
    return 0;
}
