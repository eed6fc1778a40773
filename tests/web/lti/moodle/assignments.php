<?php
// A class of an Assignment activity: what its students hand in, and what Moodle's database holds of them afterwards.
// It is run as boot.php says; see ../moodle_process.py.
//
// make_school {"people": [{"login", "first", "last"}], "teams": {"Red": ["ada"]}}
//                                        a course with these students and a teacher: its id, the teams' numbers
// add_assignment {"course": 2, "settings": {..}}      its module's id
// hand_in {"module": 7, "hand_ins": [{"login", "files": {"/a.py": "/place/on/the/disk"}, "text": null, "again": false}]}
//                                        each in place of the last one; `again`: as another attempt
// age {"module": 7}                      makes all that was handed in, or graded, of yesterday afternoon
// prefer {"login", "name", "value"}      what somebody ticked
// show_grades {"module": 7}              by login: grade, comment and pages of the last attempt, and the gradebook's
// release {"module": 7}                  reveals names, and lets students see the marks of a workflow
// purge {}                               lets Moodle find what was laid beside it: language packs
require(__DIR__ . '/boot.php');
require_once("$CFG->dirroot/group/lib.php");
require_once("$CFG->dirroot/mod/assign/locallib.php");

function find_assignment(int $module): assign {
    [$course, $cm] = get_course_and_cm_from_cmid($module, 'assign');
    return new assign(context_module::instance($cm->id), $cm, $course);
}

function find_user(string $login): stdClass {
    global $DB;
    return $DB->get_record('user', ['username' => $login], '*', MUST_EXIST);
}

function make_school(object $wanted): array {
    set_config('showuseridentity', 'email');
    $course = make_course('Neural networks from scratch');
    add_member($course->id, 'teacher', 'Tess', 'Teacher', 'editingteacher');
    foreach ($wanted->people as $one) {
        $ids[$one->login] = add_member($course->id, $one->login, $one->first, $one->last, 'student');
    }
    foreach ($wanted->teams as $name => $logins) {
        $teams[$name] = (int)groups_create_group((object)['courseid' => $course->id, 'name' => $name]);
        foreach ($logins as $login) {
            groups_add_member($teams[$name], $ids[$login]);
        }
    }
    return ['course' => (int)$course->id, 'teams' => $teams];
}

function add_assignment(object $wanted): array {
    $settings = (array)$wanted->settings + ['course' => $wanted->course, 'submissiondrafts' => 0, 'sendstudentnotifications' => 0,
        'attemptreopenmethod' => 'manual', 'maxattempts' => -1, 'duedate' => time() + DAYSECS,
        'assignfeedback_comments_enabled' => 1, 'assignfeedback_file_enabled' => 1, 'assignfeedback_offline_enabled' => 1,
        'assignsubmission_file_enabled' => 1, 'assignsubmission_file_maxfiles' => 20, 'assignsubmission_file_maxsizebytes' => 0];
    return ['module' => (int)(new testing_data_generator())->create_module('assign', $settings)->cmid];
}

function hand_in(object $wanted): array {
    foreach ($wanted->hand_ins as $one) {
        $user = find_user($one->login);
        if ($one->again) {
            \core\session\manager::set_user(get_admin());
            (new ReflectionMethod('assign', 'add_attempt'))->invoke(find_assignment($wanted->module), $user->id);
        }
        \core\session\manager::set_user($user);
        $data = (object)['userid' => $user->id, 'files_filemanager' => file_get_unused_draft_itemid()];
        foreach ($one->files as $path => $place) {
            get_file_storage()->create_file_from_pathname(['contextid' => context_user::instance($user->id)->id,
                'component' => 'user', 'filearea' => 'draft', 'itemid' => $data->files_filemanager, 'userid' => $user->id,
                'filepath' => rtrim(dirname($path), '/') . '/', 'filename' => basename($path)], $place);
        }
        if ($one->text !== null) {
            $data->onlinetext_editor = ['text' => $one->text, 'format' => FORMAT_HTML, 'itemid' => file_get_unused_draft_itemid()];
        }
        $notices = [];
        if (!find_assignment($wanted->module)->save_submission($data, $notices)) {
            throw new Exception("$one->login: " . json_encode($notices));
        }
    }
    return [];
}

function age(object $wanted): array {
    global $DB;
    $number = find_assignment($wanted->module)->get_instance()->id;
    foreach (['assign_submission' => '15:18', 'assign_grades' => '16:42'] as $table => $hour) {
        $DB->set_field($table, 'timemodified', strtotime("yesterday $hour"), ['assignment' => $number]);
    }
    return [];
}

function prefer(object $wanted): array {
    set_user_preference($wanted->name, $wanted->value, find_user($wanted->login));
    return [];
}

function show_grades(object $wanted): array {
    global $DB;
    $assignment = find_assignment($wanted->module);
    $number = $assignment->get_instance()->id;
    foreach (get_enrolled_users($assignment->get_context(), 'mod/assign:submit') as $user) {
        $grades = $DB->get_records('assign_grades', ['assignment' => $number, 'userid' => $user->id], 'attemptnumber DESC', '*', 0, 1);
        $grade = reset($grades);
        $pages = [];
        $files = $grade ? get_file_storage()->get_area_files($assignment->get_context()->id, 'assignfeedback_file',
            'feedback_files', $grade->id, 'filepath, filename', false) : [];
        foreach ($files as $file) {
            $pages[$file->get_filepath() . $file->get_filename()] = $file->get_content();
        }
        $book = grade_get_grades($assignment->get_course()->id, 'mod', 'assign', $number, $user->id);
        $entry = $book->items[0]->grades[$user->id] ?? null;
        $shown[$user->username] = ['attempt' => $grade ? (int)$grade->attemptnumber : null,
            'grade' => $grade && $grade->grade !== null && $grade->grade >= 0 ? (float)$grade->grade : null,
            'comment' => $grade ? (string)$DB->get_field('assignfeedback_comments', 'commenttext', ['grade' => $grade->id]) : '',
            'pages' => (object)$pages, 'gradebook' => isset($entry->grade) ? (float)$entry->grade : null];
    }
    return $shown;
}

function release(object $wanted): array {
    $assignment = find_assignment($wanted->module);
    if ($assignment->is_blind_marking()) {
        $assignment->reveal_identities();
        $assignment = find_assignment($wanted->module);
    }
    foreach ($assignment->list_participants(0, true) as $user) {
        $grade = $assignment->get_user_grade($user->id, false);
        if ($assignment->get_instance()->markingworkflow && $grade) {
            $flags = $assignment->get_user_flags($user->id, true);
            $flags->workflowstate = ASSIGN_MARKING_WORKFLOW_STATE_RELEASED;
            $assignment->update_user_flags($flags);
            $assignment->update_grade($grade);
        }
    }
    return [];
}

function purge(object $wanted): array {
    purge_all_caches();
    return [];
}

answer(['make_school', 'add_assignment', 'hand_in', 'age', 'prefer', 'show_grades', 'release', 'purge']);
